"""Marks that would lie on one another."""

from lense.plots.spreading import Frame, Spot, spread

FRAME = Frame(0, 0, 100, 100)


def test_marks_that_are_apart_stay_where_they_are() -> None:
    assert spread([Spot(10, 10, 3), Spot(20, 10, 3)], [], FRAME) == [(10, 10), (20, 10)]


def test_of_marks_at_one_place_the_first_stays_and_all_are_apart() -> None:
    places = spread([Spot(50, 50, 3)] * 20, [], FRAME)
    assert places[0] == (50, 50)
    assert all(
        max(abs(one[0] - other[0]), abs(one[1] - other[1])) >= 6 for i, one in enumerate(places) for other in places[:i]
    )


def test_small_marks_move_nothing_but_are_not_covered_by_what_moves() -> None:
    small = [Spot(50, 50, 3), Spot(50, 58, 3)]
    first, second = spread([Spot(50, 50, 3), Spot(50, 50, 3)], small, FRAME)
    assert first == (50, 50)
    assert second[1] != 58


def test_nothing_moves_out_of_the_frame_and_texts_stay_within_it() -> None:
    places = spread([Spot(99, 1, 3, text=20), Spot(2, 98, 3), Spot(2, 98, 3)], [], FRAME)
    assert places[0][0] <= 77
    assert places[2][0] >= 3
    assert places[2][1] <= 97


def test_without_any_room_a_mark_stays() -> None:
    assert spread([Spot(5, 5, 5), Spot(5, 5, 5)], [], Frame(0, 0, 10, 10)) == [(5, 5), (5, 5)]
