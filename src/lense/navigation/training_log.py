"""The figures of a training run as they come: a CSV file, and TensorBoard if wanted."""

import csv
from pathlib import Path
from typing import Any

from lense._util.files import replacing
from lense.errors import LenseError

_COLUMNS = ("stage", "step", "quantity", "value")


class TrainingLog:
    """Rows (stage, step, quantity, value) in rising order; a row written again takes the place of the old one.

    With a ``file`` the rows already there are kept, so that a resumed run goes on with its log. With ``tensorboard``, a
    folder, every value is also a scalar there.
    """

    def __init__(self, file: Path | None = None, tensorboard: Path | None = None) -> None:
        self._file = file
        self._rows: dict[tuple[str, int, str], float] = {}
        if file is not None and file.exists():
            self._rows = dict(_read(file))
        self._board: Any = None
        if tensorboard is not None:
            self._board = _board(tensorboard)

    def __call__(self, stage: str, step: int, **values: float) -> None:
        for quantity, value in values.items():
            self._rows[stage, step, quantity] = value
            if self._board is not None:
                self._board.add_scalar(f"{stage}/{quantity}", value, step)

    def picture(self, name: str, image: Any) -> None:
        """Show an image (height, width, 3) of bytes in TensorBoard, if there is one."""
        if self._board is not None:
            self._board.add_image(name, image, 0, dataformats="HWC")
            self._board.flush()

    def series(self, stage: str, quantity: str) -> list[tuple[int, float]]:
        """The values of one quantity by step."""
        return sorted((step, value) for (s, step, q), value in self._rows.items() if (s, q) == (stage, quantity))

    def write(self, file: Path | None = None) -> None:
        """Bring the file, or another one, up to date."""
        if (target := file or self._file) is None:
            return
        with replacing(target) as temporary, temporary.open("w", newline="", encoding="utf-8") as stream:
            rows = csv.writer(stream)
            rows.writerow(_COLUMNS)
            rows.writerows((*key, value) for key, value in self._rows.items())

    def close(self) -> None:
        self.write()
        if self._board is not None:
            self._board.close()


def _read(file: Path) -> list[tuple[tuple[str, int, str], float]]:
    try:
        with file.open(newline="", encoding="utf-8") as stream:
            rows = csv.DictReader(stream)
            if tuple(rows.fieldnames or ()) != _COLUMNS:
                raise ValueError("the first line does not name the columns")
            return [((r["stage"], int(r["step"]), r["quantity"]), float(r["value"])) for r in rows]
    except (KeyError, TypeError, ValueError, csv.Error, IsADirectoryError) as error:
        raise LenseError(f"{file} is not a training log: move it or choose another folder.") from error


def _board(folder: Path) -> Any:
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ModuleNotFoundError as error:
        raise LenseError("TensorBoard is missing: pip install 'lense[tensorboard]', or leave it out.") from error
    return SummaryWriter(folder)
