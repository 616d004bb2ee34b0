"""One module for each thing that operations are about; each function answers one operation of the table."""
