"""Group: near-duplicates become clusters. Signs and decides; the LSH bands are rows in the store."""
