"""What people write out or leave out, said in the words that all else reads: numbers, steps of a scale, spans."""

import re
from collections.abc import Callable

from engine.copilot.entities.entity import meanings

_NUMBERS = meanings(
    "2: two; 3: three; 4: four; 5: five; 6: six; 7: seven; 8: eight; 9: nine; 10: ten; 12: twelve; 20: twenty"
)
_SCALES = (("info", "low", "medium", "high", "critical"), ("p4", "p3", "p2", "p1"))
_STEP = "|".join(sorted({*_SCALES[0], *_SCALES[1]}, key=len, reverse=True))
_FROM = re.compile(
    rf"\b(?P<step>{_STEP})(?: \w+)? (?:or|and) (?:above|higher|up|upwards?|worse|over|more|greater|more severe)\b|"
    rf"\b(?:at least|minimum|no less than|from) (?P<least>{_STEP})\b(?: up(?:wards?)?\b| on\b)?|"
    rf"\b(?P<plus>{_STEP})\+(?=\s|$)"
)
_UP_TO = re.compile(
    rf"\b(?P<step>{_STEP})(?: \w+)? (?:or|and) (?:below|lower|less|under|down)\b|"
    rf"\b(?:at most|no more than|up to|no higher than) (?P<most>{_STEP})\b"
)
_ABOVE = re.compile(rf"\b(?:above|higher than|over|worse than|more severe than) (?P<step>{_STEP})\b")
_BELOW = re.compile(rf"\b(?:below|lower than|under|less than|less severe than) (?P<step>{_STEP})\b")
_SHORTER = re.compile(
    r"\b(?P<this>this|last) (?P<unit>week|month|quarter|year)(?P<between>\b.*?\b(?:than|vs|"
    r"versus|compared (?:to|with)|"
    r"against|or|and)) (?:the )?(?P<last>last|previous)(?: one)?(?=\s*[?.!]*$)"
)
_MONTH = (
    "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?|oct(?:ober)?|"
    "nov(?:ember)?|dec(?:ember)?"
)
_BASE = {"ack": "acknowledge", "acknowledg": "acknowledge", "mitigat": "mitigate", "resolv": "resolve"}
_WEEKDAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_NOBODY = r"(?:we|i|you|they|it|the|our|my|this|that|he|she|a|an|all|any)\b"  # no name of a person
_QUARTERS = {"first": 1, "1st": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4}
_SOMEBODY = (
    r"some(?:body|one)|any(?:body|one)|people|persons?|a person|those|(?:an? )?(?:colleague|employee|owner|member)s?"
)
_GONE = (
    r"(?:no longer (?:here|with us|works? here|employed|around|at the company)|left|gone|departed|quit|"
    r"not here any ?more)\b(?: (?:us|the company))?"
)
_UNDONE = "open|undone|unfinished|outstanding|pending|not (?:done|closed|finished|completed)"
_DEADLINE = r"(?:due date|deadline|target date|date|due day)s?\b"
_PILE = "piles?|stack|share|backlog|list|load|heap|lot|portion|part|queue|plate"
# ways to say what there is a shorter word for
_WAYS: tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...] = tuple(
    (re.compile(pattern), written)
    for pattern, written in (
        (
            r"\b(?:not counting|not including|leaving out|leaving aside|ignoring|but not|anything but|everything "
            r"but|all but|"
            r"except for|excluding|other than|with the exception of|aside from|apart from|bar)\b",
            "except",
        ),
        (r"\b(than|over|under|least|most|within) an? (hour|minute)\b", r"\1 1 \2"),
        (
            r"\b(?:still )?(?:un|not |nobody )(ack|acknowledg|mitigat|resolv|fix)ed (?:after|within) (\d+) ?(\w+)",
            lambda match: f"with time to {_BASE.get(match[1], match[1])} yet above {match[2]} {match[3]}",
        ),
        (
            r"\b(?:nobody|no one|noone) (?:was |were |got )?(?:hit|affected|hurt|impacted)(?: by(?= |$))?",
            "that hit nobody",
        ),
        (r"\b(because of|due to) (?:an? |the )?(?:missing|lacking)\b", r"\1"),
        (
            r"\b(?:nobody|no one|noone|no-one)(?: (?:is|has|have|had|ever|yet|been|was))* "
            r"(?!assigned|acknowledged|owned|taken)(\w+ed|met|ran|sent|taken|took|own|owns)\b",
            r"not \1",
        ),
        (
            r"\bwithout (?:any(?:one|body)|some(?:one|body)|a person) (?:having |ever )?(\w+)ing\b"
            r"(?: off)?(?: (?:it|them|this|that|for it|for them|on it))?",
            lambda match: f"not {match[1]}d" if match[1].endswith("e") else f"not {match[1]}ed",
        ),
        (
            r"\b(?:that |which |for which )?(?:nobody|no one|noone) (?:is |are |was |feels )?"
            r"(accountable|responsible)\b(?: for)?(?: (?:it|them))?",
            r"without \1",
        ),
        (
            r"\b(?:assigned|belong\w*|given|owned|held|in the names?|still|with|by|of|on)(?: to| by| of| with)? "
            rf"(?:(?:{_SOMEBODY}) (?:who|that) (?:has |have |is |are |was )?{_GONE}|"
            r"(?:former|departed) (?:people|colleague|employee|owner|member)s?\b)|"
            rf"\bwhose (?:owner|assignee)s? (?:has |have |is |are )?{_GONE}",
            "with departed owner",
        ),
        (rf"\b(?:still )?(?:{_UNDONE}) (?:after|past|beyond) (?:its|their|the) {_DEADLINE}", "overdue"),
        (r"\bf[ae]ll(?:s|ing|en)? due\b", "due"),
        (r"\b(?:should|must|shall|do) (?:we|i) (do|fix|close|tackle) first\b", r"\1 first"),
        (r"\b(?:took|takes?|taken|left|leave|put|kept|moved) out of scope\b", "out of scope"),
        (
            rf"^(?:and )?whose (?:{_PILE}) is (?:the )?(?:biggest|largest|longest|greatest|highest)\b",
            "who has the most",
        ),
        (r"\bin (?:the )?(\S+@\S+) names?\b", r"owned by \1"),
        (
            r"\b(?:that |which )?waits? (?:for|on) (?=(?:an? |the )?(?:decision|approval|signature|sign off)\b)",
            "waiting for ",
        ),
        # an obligation with a time is what is due then, without one what is open
        (
            r"\b(?:that |which )?(?:still )?(?:have|has|need|needs|must|should|ought|got)(?: to)? be "
            r"(?:\w+ed|done|sent|met|dealt with)(?= (?:in|by|within|before|next|this|until|till|today|tomorrow|"
            r"during)\b)",
            "due",
        ),
        (r"\b(?:instead of|rather than) (?:\w+ing|\w+ed|being \w+ed)\b", ""),
        (
            r"^(?:please |now |and |ok |okay |so )*(?:leave|drop|skip|ignore|forget|hide|remove|take|cut|lose)"
            r"(?: out)? (?:about )?(?=(?:the|all|any|those|\w+s\b))(?!all instr)",
            "except ",
        ),
        (
            r"\b(?:has |have |had )?(?:left|quit|departed)(?: from)? (?:the (?:company|organi[sz]ation|firm)|us)\b|"
            r"(?<=^who )(?:has |have )?(?:left|quit)\b(?= (?:in|since|this|last|recently)\b| *[?.!]*$)",
            "departed",
        ),
        (r"\bpast (?:its|their|the) (?:(?!due)\w+ date|(?:\w+ )?deadlines?)\b", "overdue"),
        (r"\bwhat keeps (?:on )?(?:breaking|failing|going (?:down|wrong))\b", "incidents ever by service, the most"),
        (r"\b(?:in|during|within) the (?:24 ?h(?:ours)?|day) (?=before inc-)", ""),
        (r"\b(?:over|via|through|across) (?=(?:https?|tls|sftp|ssh|tcp|udp|ftp)\b)", "with "),
        (r"\bafter (?=(?:more|less|longer|over|under) )", ""),
        (r"\b(?:any|all|whatever|regardless of|every) (?:the |its |their )?(?:status|state)(?:es|s)?\b", "ever"),
        (r"\bmost (?:often|frequently)\b", "the most"),
        (
            r"\bplaybooks?(?: (?:was|were|gets?|got|is|are|has been))* (?:blocked|refused|stopped) the most\b",
            "policy blocks ever by playbook, the most",
        ),
        (r"\bdays? of (?:the |a )?week\b", "weekday"),
        (r"\ball together\b", "altogether"),
        (r"\bwhatsoever\b|\bat all(?=\s*[?.!]*$)", ""),
        (  # who wants to know says nothing of what
            r"^(?:an? |the |our |my )?(?:customer|client|auditor|prospect|regulator|board|ceo|boss|manager|colleague|"
            r"assessor|lawyer|insurer)s? (?:asks?|asked|is asking|wants? to know|wanted to know|would like to know)"
            r"(?: us| me)?(?: whether| if|[:,])+ ",
            "",
        ),
        (
            r"\bhow many (users|customers|people|patients) (?:(?:did|have) we|were|are|was|got|have been) "
            r"(?:all )?(?:affect|hit|impact|hurt)(?:ed)?\b(?! by)",
            r"how many \1 were hit by incidents",
        ),
        (
            r"\b(how (?:long|many \w+)) do(?:es)? (?:we|it|they) (?:usually |typically )?need "
            r"(?=(?:on average )?to \w+)",
            r"\1 does it take ",
        ),
        (
            r"^on which (services|vendors) (?:do|does) ((?:nothing|nobody|no)\b.*?) (depend|rel[yi])(?:e?s)?\b",
            lambda match: f"which {match[1]} {match[2]} {match[3].replace('reli', 'rely')} on",
        ),
        (r"^on which (services|vendors) (?:was|were|has|have) (?!there)", r"which \1 had "),
        (
            r"\b(?:is there |are there )?(?:any|an|which) (engineer|person|people|service|vendor|owner)s? whose "
            r"(\w+) (?:have |has |were |was )?never (?:been )?(\w+(?: back)?)"
            r"(?: (?:and|or|nor) (?:were |was |have |has )?(?:never )?(?:been )?(\w+(?: back)?))?",
            lambda match: (
                f"{'people' if match[1] in ('engineer', 'person', 'owner') else f'{match[1]}s'} whose {match[2]} never "
                f"{match[3]}{f' or {match[4]}' if match[4] else ''}"
            ),
        ),
        (
            r"\bdid (?:nobody|no one|noone) (?!own\b)(\w+?)(e?)(?= |$|\?)",
            lambda match: f"not {match[1]}{match[2] or 'e'}d",
        ),
        # what a person did stands in the audit log, what one must do is a duty
        (rf"^(?:so |and )?what (?:did|has) (?!{_NOBODY})(\w+(?: \w+)?) (?:do|done)\b", r"audit events of \1"),
        (
            rf"^(?:so |and )?what (?:must|should|does|do) (?!{_NOBODY})(\w+(?: \w+)?) "
            r"(?:have to do|need to do|do|owe|have to finish|finish|deliver)\b(?= (?:by|before|until|till|this|next|in|"
            r"on|today|tomorrow)\b)",
            r"pending duties of \1",
        ),
        (r"\bdid (\w+(?: \w+)?) (last |ever |first )?(?:sign|log) ?(?:in|on)\b", r"was the \2successful login of \1"),
        (
            r"\b(failed|successful|denied|refused|any|many|last|latest|recent) (?:sign|log)[ -]?(?:in|on)(s?)\b"
            r"(?! (?:incident|ticket|alert|page|outage|from))",
            r"\1 login\2",
        ),
        # "those closed in May were late" is how late they were closed, and not how they stood in May
        (
            r"\b(\w+ed) ((?:in|since|during|last|this) (?:the )?\w+(?: \w+)?) (?:were|was) (late|on time|in time)\b",
            r"\1 \3 \2",
        ),
        (
            rf"\b(between|from) (\d{{1,2}})(?:st|nd|rd|th)? (and|to|until|till) (\d{{1,2}})(?:st|nd|rd|th)? "
            rf"({_MONTH})\b",
            r"\1 \2 \5 \3 \4 \5",
        ),
        (r"\btonight\b|\bthis (?:morning|afternoon|evening)\b", "today"),
        (
            r"^(?:so |and )?(?:did|have|has|are|is) (?:the |our )?(?P<what>[\w -]+?) "
            r"(?:go|gone|get|got|going|getting|been) "
            r"(?:up or down|down or up|up|down|better or worse|worse or better|worse|better) "
            r"(?:from|between) (?P<first>[\w ]+?) (?:to|and) (?P<last>[\w ]+?)(?=\s*[?.!]*$)",
            lambda match: f"compare {match['what']} in {match['first']} vs {match['last']}",
        ),
        (r"\b(?:top \d+ |main |leading )root causes?\b", "incidents by root cause, the most"),
        (r"^who has the (?:worst|longest|slowest|highest) (mttr|mtta|mttm)\b", r"\1 by owner"),
        (r"\b(more|less) than half(?: of)?\b", r"\1 than 50 %"),
        (r"\b(in|outside|outside of) the u\.?s\.?(?=\W|$)", r"\1 the usa"),
        (
            r"\bdid (?:any|a|our|some|the) (vendor|supplier|release|deploy|change)s? (?:ever )?cause (?:an? |any )?"
            r"(?:outage|incident)s?\b",
            r"any incidents caused by a \1",
        ),
        (r"\bhurt(?= (?:the|our|most|more))", "hit"),
        (
            r"(?<!on )(?<!last )(?<!this )(?<!next )(?<!since )(?<!by )(?<!until )(?<!before )(?<!after )"
            r"\b((?:mon|tues|wednes|thurs|fri|satur|sun)day) (?=\w+s\b(?<!was)(?<!is)(?<!does)(?<!has))",
            r"\1s ",
        ),
        (r"\bdid ((?:the |our )?\w+) open\b", r"\1 opened"),
        (r"^where are we (?:still )?(?:vulnerable|exposed) to\b", "which open findings with"),
        (r"\bare we (?:still )?(?:vulnerable|exposed) to\b", "any open findings with"),
        (
            r"\b(not|never) (\w+ed(?: at| off)?|met|run|ran) (?:in|for|within|during) (?:over |more than |at least )?"
            r"(?P<n>an?|\d+) (?P<unit>(?:day|week|month|quarter|year)s?)\b",
            lambda match: f"{match[1]} {match[2]} in the past {match['n'].replace('an', 'a')} {match['unit']}",
        ),
        (r"\b(than|least|most|exactly) once\b", r"\1 1"),
        (r"\bon an? (\w+day)\b", r"on \1s"),
        (rf"\b({_WEEKDAY}s)((?:,| or| and)+ )(?:an? )?({_WEEKDAY})\b", r"\1\2\3s"),
        (r"\b(took|takes?|taking|lasted|lasts?|ran) (?:over|more than) an? (day|week)\b", r"\1 longer than a \2"),
        (r"\b(took|takes?|taking|lasted|lasts?) (?:under|less than) an? (day|week)\b", r"\1 less than 1 \2"),
        (
            r"(?:\band )?\b(?:hit|affected|hurt|impacted) (?:nobody|no one|noone|no (?:users?|customers?|people))\b",
            "that hit nobody",
        ),
        (r"\b(than|least|most|exactly) twice\b", r"\1 2"),
        (
            r"\bhow many (?:different|distinct|unique|separate) (?=(?:services|vendors|people|owners|incidents)\b)",
            "how many ",
        ),
        (r"\b(?:late|overdue|past due|behind)(?: by)? (?:more than|over) (\d+) days\b", r"with days overdue above \1"),
        (
            r"\b(?:which|what)(?: is)?(?: the)? version (?:of (\S+) )?(?:is )?(?:running|live|in production|deployed)"
            r"(?: (?:on|in|of|for) (\S+))?",
            lambda match: f"version of the latest successful deploy to {match[1] or match[2] or ''}",
        ),
        (r"\b(?:playbook|automation|run)s?(?: (?:was|were|got|is|are))? (?:blocked|refused)\b", "policy block"),
        (
            r"\b(services?) (?:that |which )?(?:(?:were|was|have been|has been) )?(?:not|never) "
            r"(?:been )?(?:deployed|released)(?: to)?\b",
            r"\1 without deploys",
        ),
        (r"\b(?P<n>first|second|third|fourth|1st|2nd|3rd|4th) quarter\b", lambda match: f"q{_QUARTERS[match['n']]}"),
        (r"\bsev(?:erity)?[ -]?([1-5])s?\b", r"sev\1"),
        # "who has the most critical gaps" asks for the most gaps, not for the most critical of them
    )
)
# "aren't there any …?" asks the same as "are there any …?"
_POLITE = re.compile(r"^((?:so |and )?(?:is|are|was|were|do|does|did|have|has)) not (there|we|i|you|any)\b")
_QUESTION = (
    r"(?:how (?:many|much|long|old|often|come)|which|whos?e?|(?:on|with) whom|when|what|why|where|"
    r"(?:are|is|did|do|does|was|were|has|have|can) (?:there|we|i|any|it|they|the|our|all|some|you)\b"
    r"(?! (?:(?:long|good|really) )*(?:enough|sufficient|too short)\b))\b"
)
_WHICH = re.compile(r"(?:which|what) \w+ ", re.IGNORECASE)
_SCORED = r"\b(?:readiness|posture|score)\b"
_REASON = (
    r"(?:why(?: is (?:that|it))?|how come|what (?:is|was|are) the (?:reason|cause)s?(?: (?:for|of) (?:it|that))?)\W*"
)
_TAG = r"(?!(?<=how many)(?: each| of each| are there| in total)?\s*[?.!]*$)"  # "…, how many?" asks nothing new
_NEXT_QUESTION = re.compile(
    r"\s*(?:[?;!]+|(?<=\D)\.(?=\s)|"
    rf",?\s+(?:and|also|plus|but)(?:\s+also)?(?=\s+{_QUESTION}{_TAG})|,(?=\s+(?:and\s+)?{_QUESTION}{_TAG}))\s*",
    re.IGNORECASE,
)
# what is asked about, or left aside, said first: "of the incidents since May, which …", "after billing, who …"
_AHEAD = re.compile(
    r"(?:and |so )?(?:(?:out )?of|among|amongst|from|for|in|on|after|before|since|during|besides|except|apart from|"
    r"other than|next to|behind)\b(?!.*\b(?:which|who|what|how|when|why)\b)",
    re.IGNORECASE,
)
# asks for what is listed already
_LISTED = re.compile(r"(?:and )?(?:which|which ones|how|how so|who)[\s?!.]*", re.IGNORECASE)
_RELATIVE = re.compile(
    r"\b(?:vendors|suppliers|people|users|owners|somebody|person|those|incidents|services|findings|ones|risks|controls|"
    r"policies|requests|deploys|that|which)\s*,?$",
    re.IGNORECASE,
)


def write_out(text: str) -> str:
    """A plain text with numbers as digits, "high or above" as the steps that it names, and "than last" completed."""
    text = re.sub(rf"\b(?:{'|'.join(_NUMBERS)})\b(?! factor| step)", lambda match: _NUMBERS[match[0]], text)
    for pattern, written in _WAYS:
        text = pattern.sub(written, text)
    text = _POLITE.sub(r"\1 \2", text)
    text = _SHORTER.sub(lambda m: f"{m['this']} {m['unit']}{m['between']} {m['last']} {m['unit']}", text)
    text = _FROM.sub(lambda match: _steps(match["step"] or match["least"] or match["plus"], 0, None), text)
    text = _UP_TO.sub(lambda match: _steps(match["step"] or match["most"], None, 1), text)
    text = _ABOVE.sub(lambda match: _steps(match["step"], 1, None), text)
    return _BELOW.sub(lambda match: _steps(match["step"], None, 0), text)


def _steps(word: str, first: int | None, last: int | None) -> str:
    """The steps of the scale of a word, from so many above it or up to so many above it."""
    scale = next(one for one in _SCALES if word in one)
    at = scale.index(word)
    found = scale[at + first :] if first is not None else scale[: at + (last or 0)]
    return " or ".join(found or (word,))


def clauses(text: str) -> tuple[str, ...]:
    """The questions that one text asks, in order: "how many are there and who owns them?" are two."""
    found: list[str] = []
    at = 0
    for match in _NEXT_QUESTION.finditer(text):
        before = text[at : match.start()].strip(" ,")
        if re.fullmatch(r"who (?:(?:is|are|was) )?\w+", before, re.IGNORECASE) and re.search(
            r"\bwho\b", text[match.end() :]
        ):
            continue  # "who is responsible and who is accountable for 8.4.2?" is of one row
        if re.fullmatch(r"(?:which|what) \w+", before, re.IGNORECASE) and re.match(_WHICH, text[match.end() :]):
            continue  # "which vendor and which risk are his?" asks the same of both
        if re.search(_SCORED, before, re.IGNORECASE) and re.fullmatch(_REASON, text[match.end() :].casefold()):
            continue  # "readiness went down since May, why?" is no question for the number
        if not before or (match[0].strip() in ("", ",") and (_RELATIVE.search(before) or _AHEAD.match(before))):
            continue
        if match[0].strip(" ,").casefold() in ("and", "also", "plus", "but") and len(before.split()) < 2:
            continue
        found.append(before)
        at = match.end()
    rest = text[at:].strip(" ,?!;.")
    said = [one for one in (*found, rest) if re.search(r"\w", one)]
    return tuple(one for n, one in enumerate(said) if not n or not _LISTED.fullmatch(one)) or (text,)
