"""The error that every failure in this package raises."""


class Error(Exception):
    """A diagnostic: a stable code, a message, a location and a remedy. docs/cli.md lists the exit status of each code."""

    def __init__(self, code: str, message: str, location: str = "", remedy: str = "") -> None:
        super().__init__(code, message, location, remedy)
        self.code = code
        self.message = message
        self.location = location
        self.remedy = remedy

    def __str__(self) -> str:
        place = f"{self.location}: " if self.location else ""
        hint = f"\n  hint: {self.remedy}" if self.remedy else ""
        return f"{place}{self.code}: {self.message}{hint}"
