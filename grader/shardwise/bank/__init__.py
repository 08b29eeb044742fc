"""A bank of problems: a folder with problems/ and solutions/, opened, proved sound, and added to."""
