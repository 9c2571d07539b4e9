"""Deliver: articles are handed on, given an iterator; one format per file, each sets PLUG."""
