"""What workers ask for: claims, long polls, reports."""
