"""The wire: the words, bodies and operations of the HTTP interface, which server, client and command line share."""
