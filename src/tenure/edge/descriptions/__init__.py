"""What the interface means, in words: its operations, their answers, and every member."""
