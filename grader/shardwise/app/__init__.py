"""The app: practice in a browser, served from this computer or compiled into a site without a server."""
