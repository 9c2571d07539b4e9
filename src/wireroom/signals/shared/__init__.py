"""What signals, and scouting steps, share: asking within a visit, reading pages once, writing down."""
