"""Measurements of lense beside other libraries; ``make bench`` writes their ratios to the table in README.md."""
