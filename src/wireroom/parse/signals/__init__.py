"""Readers of what publishers say about the use of their work, one file per signal.

Pure: bytes, headers and trees come in, frozen values go out; lengths and counts are bounded. What a
signal permits is decided in `wireroom.rights`, never here. A signal that cannot be read raises ParseError.
"""
