"""The app as a site without a server: a bank compiled into static files, with Python in the browser."""
