"""Files, models and requests that are whole, but whose meaning is broken."""
