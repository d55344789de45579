"""What lense is measured against, and the table of ratios that ``make bench`` keeps in README.md."""
