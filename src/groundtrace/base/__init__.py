"""What every package may use: JSON, TOML, text, names, times, patterns. It knows no trace."""
