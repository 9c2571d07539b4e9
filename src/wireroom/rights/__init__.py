"""Rights: signals become one verdict per use, with evidence. Pure: no clock, no I/O, no settings."""
