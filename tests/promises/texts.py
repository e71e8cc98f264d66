"""Texts that would be a formula, a script, a header, a path or a log line, were they let."""

TEXTS = (
    '=HYPERLINK("https://evil.example","x")',
    "+1+cmd|' /C calc'!A0",
    "-2+3+cmd|' /C calc'!A0",
    "@SUM(1+1)*cmd|' /C calc'!A0\r\nX-Evil: 1\r\n\r\n<script>evil()</script>",
    "\t=1+1</script><script>evil()</script><img src=x onerror=evil()>",
    '\r=1+1" onmouseover="evil()" x=\'evil\' <!-- ]]> --> {{7*7}} ${7*7}',
    "../../../../etc/evil\\..\\CON.txt:stream [evil](javascript:evil()) ![evil](javascript:evil())",
    "\x1b[2J\x1b]0;evil\x07\n2026-11-20 08:30:00 INFO evil forged line \u2028\u202e | evil | *evil* `evil` # evil",
)


def hostile(table, column, number):
    """The text of a row, one after the other."""
    return TEXTS[number % len(TEXTS)]
