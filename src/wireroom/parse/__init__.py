"""Parse: bytes become types. Pure: it opens no address and no file, and knows no clock."""
