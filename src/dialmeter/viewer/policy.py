"""What a page may load: its own script and style, and nothing from elsewhere."""

SERVER_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'self'"
)
