"""What is known of connections: how fast they are read, who has hung up, what has left."""
