"""Calendar feeds and meetings as iCalendar."""
