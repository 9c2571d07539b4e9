"""Parse: bytes become nouns. Pure: it opens no address and no file, and knows no clock."""
