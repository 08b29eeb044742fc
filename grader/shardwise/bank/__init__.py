"""Banks of problems: opening a folder with problems/ and solutions/, checking it, and adding to it."""
