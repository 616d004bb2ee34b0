"""What is told to everyone who looks: the description, the pages, the metrics."""
