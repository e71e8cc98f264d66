"""Everyday English that says nothing of compliance: words that cost nothing where no kind of thing knows them.

A word belongs here when leaving it out leaves the question the same. Words that turn a question round, compare, count
or narrow ("not", "than", "only", "expired") do not, nor words for things that are no records here ("salary").
"""

import re
from collections.abc import Callable

_WORDS = """
    'em absolute absolutely abundance according accordingly accurate accurately act add additionally advise afaik
    afraid afternoon aint along alongside already alright although amid amidst amongst amount answer anymore anytime
    anyway anywhere apologies apparently appear apply appreciate approximately area arguably arise arisen arose
    around array arrive asap aside ask aspect assume await aware awful awfully back basically batch bear became
    become behave believe bet bit bits bother brief briefly bring brings bro broadly brought btw buddy bunch bye
    called came case cases certainly check cheers clarify clearly come comes compile complete completely
    comprehensive concern concise confirm consequently consider consist constantly contain continually continue
    continuously cool correct correctly cos couple coz crap crazy curious cuz damn dang dangling darn deal dealt
    dear decided definitely deliver describe despite detailed discuss display doing done dont doubt dozens drag
    dragged draw dude dwelling eg em emerge encounter enter entirely entries entry enumerate especially essentially
    estate etc evening eventually everybody everyone everything everywhere evidently exact excuse expect explain
    fairly feel fella felt fetch figure finally finding fine floating focus folks follow forever forget forgot
    forgotten formally frequently friend full fully fundamentally furthermore fyi gather gave generally genuinely
    gets getting gimme gist given gives gladly glance goes gone gonna good goodness gosh gotta gotten grab grateful
    great greetings guess guy guys ha hafta haha handful handle hang happening head heap hear held helpful hence
    highlight hitherto hiya hmm hold honest honestly hope hopefully hoping horrible however huh hundreds hung id
    idea identify ie iirc im imagine immediately imo include indeed inform informally innit inquire insane insofar
    instance instantly interested involve item itemise itemize ive junk keep kept kick kinda kinds known knows lad
    lads laid land lately lead learn lemme lets letting lie lies likewise linger listed literally live lives load
    loiter lol looks lots lovely lurking lying ma'am made mainly maintain make makes man manage mark marked mate matter
    maybe mean meant meanwhile mention merely mess messy mind momentarily moreover morning mostly move moved nasty
    naturally necessarily nevertheless nice nicely nonetheless normally notably note notice nowadays numbers nuts
    obviously occasionally occur occurred officially oh oi ok okay omg once oneself onto oops ordinarily otherwise
    oughta ourselves outline overview pair pardon parked part particular particularly perhaps pick picture piece
    pile piled place plainly plenty pls plus point pop popped possess possesses possible possibly potentially
    practically precisely presently presumably pretty previously primarily print probably proceed promptly properly
    provide purely push put puts putting query question quick quite quote raise ran rate rated rather read realise
    realize recall recap recently reckon regard regardless regularly remain remember remind reside respective
    respectively retain rn rough roughly run rundown running runs sat scary seem seemingly seen sense seriously
    set sets setting share short shortly shown shows side sides significantly silly simple simply
    simultaneously sir sit sits sitting situation sleeping somehow something sometime somewhat somewhere sorry sorta
    sorts sound speak specifically specify spell spit spot spotted stack stalled stands stay stood straight
    straightforward strictly stuck stuff stupid substantially suddenly suffer suggest summarise summarize sup suppose
    supposedly sure surely surface suspect ta taken takes talk tbh technically tells terrible terribly thankful
    thats themselves therefore theres theyre things thingy think thorough though thought threw through throughout
    throw thru thus thx times ton tons took touch toward tried truly try turn ty type types typically ugh ugly uh
    ultimately um undergo undergone understand unto upon used useful uses using usually utterly vaguely various
    verify view virtually vis visit wait walk wanna want watch ways weird welcome went weve whatever whatsoever
    whenever whereas whereby wherein whether whichever while whilst whoa whoever whole wholly whomever wild wonder
    word work worried worry wow ya yeah yep yo youre yourself youve yup
"""
_INFLECTION = re.compile(r"(?:ing|e?s|ed|e)$")


def _base(word: str) -> str:
    return _INFLECTION.sub("", word) if len(word) > 4 else word


SAYINGS = frozenset(_WORDS.split())
EVERYDAY = frozenset(map(_base, SAYINGS))


def is_everyday(word: str) -> bool:
    """Whether a word, in any form, that no kind of thing knows leaves the question the same."""
    return _base(word) in EVERYDAY


_MONTH_ENDS = {
    **dict.fromkeys(("january", "march", "may", "july", "august", "october", "december"), 31),
    **dict.fromkeys(("april", "june", "september", "november"), 30),
}  # that of February goes by the year
_CONTROL = r"[a-z]*\d*[.(-]?\S*\d\S*"
_APPLIES = (
    r"(?:appl(?:y|icable|ied)|excluded|left out|out of scope|in scope)(?: (?:to|for) us)?(?=\s*[?.!]*$)"  # or not
)
_DAYS = "monday|tuesday|wednesday|thursday|friday|saturday|sunday"
# ways of speech for which the records have plain words, and what is said before or after the question itself
_SPEECH: tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...] = tuple(
    (re.compile(pattern), plain)
    for pattern, plain in (
        (r"^(?:the |our |my )?[\w ]{1,30}? (?:will|may|might|could|is going to) ask(?: me| us)?\s*:\s*", ""),
        (r",? (?:although|even though|despite the fact that|now that) (?:he|she|they) (?:has |have )?left\b", ""),
        (r"\bmade the most noise\b(?:,? i\.?e\.?,? (?:the )?most alerts)?", "had the most alerts"),
        (r"\bhad to be (?=\w+ed\b|rolled)", "were "),
        (r"\b(?:by|on|at|for) (?:our|its|the|their) target (?:day|date)\b", "in time"),
        (
            rf"\b(?:at|as of|as at) the end of ({'|'.join(_MONTH_ENDS)})\b",
            lambda match: f"on {_MONTH_ENDS[match[1]]} {match[1]}",
        ),
        (
            rf"\b(?<=and |til |ore )(?:the )?end of ({'|'.join(_MONTH_ENDS)})\b",
            lambda match: f"{_MONTH_ENDS[match[1]]} {match[1]}",
        ),
        (r"\bpast (?:its|it is|their|the) (?:due date|due day|deadline)s?\b", "overdue"),
        (r"\bpast (?:its|it is|their|the) (?:expiry|expiration)(?: date)?s?\b", "expired"),
        (r"\bthing to do next\b", "next step"),
        (r"\b(resolve|acknowledge|mitigate) (critical|high|medium|low)s\b", r"\1 \2 incidents"),
        (r"\b(?:kick(?:ed|s)? off|flared up|broke out)\b", "started"),
        (r"\b(?:okay(?:ed|s)|ok'?d|green-?lit|gave the green light to)\b", "approved"),
        (r"\b(?:dies|died|falls over|goes dark|craps out)\b", "goes down"),
        (r"\bgoes down (?:tonight|today|now)\b", "goes down"),
        (r"\bthat we (?:still )?(?:lean|rely|depend) on\b", "still in use"),
        (r"\bworst thing on fire\b", "worst open incident"),
        (
            r"^(?:did|has|have) (?:anything|something) new (?:start(?:ed)?|happen(?:ed)?|come up)\b",
            "which incidents started",
        ),
        (
            r"\b(?:accepted risks|risks (?:that were )?accepted) "
            r"(?:without (?:a |any )?(?:sign-?off|approval|signature)|nobody accepted)\b",
            "accepted risks nobody approved",
        ),
        (r"\bwithout (?:a |any )?sign-?off\b", "without approval"),
        (r"\b(sign(?:s|ed|ing)?) off(?: on)?\b", r"\1"),
        (r"^how many (\w+) did (\w+) sign\b", r"how many \1 were signed by \2"),
        (
            r"^(?:where does|what state is) ([a-z]*\d*[.(-]\S*\d\S*) (?:stand|in)"
            r"(?:,? and since when.*)?(?=\s*[?.!]*$)",
            r"state of control \1",
        ),
        (r"\b(maintenance|anything|something|nothing) scheduled\b", r"\1 planned"),
        (rf"\bwho (?:gets|takes|has) (?:the pager|it|call) on ({_DAYS})\b", r"who is on call on next \1"),
        (r"\b(score|posture|rating) (?:today|right now|as of today|now)(?=\s*[?.!]*$)", r"\1"),
        (r"\bbetween (\d{1,2}) (?:and|to) (\d{1,2}) in the morning\b", r"between \1 and \2 am"),
        (r"\basian (vendor|supplier|provider|processor)s? (?:have|with) (?=[\w ]*access)", r"\1s in asia with "),
        (r"\baccess to (?:our|all our) (?:stuff|things|systems)\b", "access"),
        (r"\b(?:i\.e\.|e\.g\.|i e\b),?", ""),
        (r"\bmore ([\w -]+?) than any(?: of the)? others?\b(?: \w+)?", r"the most \1"),
        (r"\bwho is (?:further|more) behind (?:with|on|in) (?:their |his |her )?", "who has more overdue "),
        (
            r"\bhow long (?:have|has) (?:the |our |all )?(?P<what>[\w -]+?(?:s|ones)\b.*?) been "
            r"(?:open|lying (?:around|there|open)|around|outstanding|unresolved|unfixed|waiting|pending|there)\b"
            r"(?: on average)?(?=\s*[?.!]*$)",
            r"average age of \g<what>",
        ),
        (
            r"\bhow often (?:does|do) (?:the |our )?([\w ]*?(?:committee|board))s? (?:meet|come together)\b",
            r"cadence of the \1",
        ),
        (r"\bwho (?:is |does )?chair(?:s|ing)?\b", "who is the chair of"),
        (
            r"^(?:does|do|did) (?:any|some)(?: other)? (services?|vendors?) (?:still )?(?:depend|rely)s? on\b",
            r"which \1 depend on",
        ),
        (
            rf"^why (?:does|is|do|are) ({_CONTROL}) (?:not )?{_APPLIES}|"
            rf"^why (?:does|is|do|are) not ({_CONTROL}) {_APPLIES}",
            lambda match: f"justification of excluded control {match[1] or match[2]}",
        ),
        (
            r"^(?!(?:are|is|were|was|have|has|do|does|did|how|which)\b)([\w -]+?) all (\w+ed|current|done)"
            r"(?=\s*[?.!]*$)",
            r"are all \1 \2",
        ),
        (
            r"\b(meetings?) (?:that )?(?:did|does|do|have|has) not (?:take place|taken place|happen(?:ed)?|come off)\b",
            r"cancelled \1",
        ),
        (
            r"\bcontrols? (?:that )?(?:go|goes|went|gone|moved?|switched|turned|changed|drop(?:ped)?|fall|fell) "
            r"(?:straight |directly )?from (\w+)(?: straight| directly)? to (\w+)\b",
            r"control changes from \1 to \2",
        ),
        (
            r"\bcontrols (?:that )?(?:stopped|ceased|quit) (?:being |to be )(?P<was>effective|partial)\b",
            lambda match: f"control changes from {match['was']}",
        ),
        (
            r"^are all (?:the |our )?(excluded|left[- ]out) controls (?:approved|signed|signed off)\b",
            r"which \1 controls are not approved",
        ),
        (
            r"\bhow long has ([\w .@-]+?) been (?:a member|a user|with us|on board|an? employee|here)\b",
            r"since when is \1 a member",
        ),
        (
            r"\b(?:did|do|have) we (close|finish|complete|resolve|fix|submit|answer)e?d? "
            r"(?=(?:late|too late|on time|in time|after|before|past)\b)",
            lambda match: f"were {match[1]}{'d' if match[1].endswith('e') else 'ed'} ",
        ),
        (r"^(\w+) hours next week(?=\s*[?.!]*$)", r"available hours of \1 next week"),
        (
            r"^(?:does|has|have) (\w+)(?: got)? (?:any|some|free|spare)(?: free| spare)? (?:hours|time)"
            r"(?: available| left| free| to spare)? (this|next) week\b",
            r"available hours of \1 \2 week",
        ),
        (
            r"\b(?:left|still) to (encrypt|close|fix|resolve|sign|attest|approve|review)\b",
            lambda match: f"not {match[1].removesuffix('e')}ed",
        ),
        (r"\blongest ago\b", "oldest"),
        (r"\bfurthest (?:away )?from (?:being |getting )?(?:ready|done|compliant|certifiable|there)\b", "least ready"),
        (r"^who (?:else )?(?:among|of|in|on) (?:our|the|my) (?:people|team|colleagues|staff|crew)\b", "who"),
        (r"\bcompliance hours\b", "hours"),
        (
            r"\bhow (?:long|many days) (?:do|must|should) we (?:keep|retain|store) (?:closed|old|resolved|past) ",
            "how long do we keep ",
        ),
        (
            r"^who has (?:the )?most (?:free |available )?hours(?: available| free| left)?\b",
            "who has the most available hours",
        ),
        (
            r"^how many (?P<what>\w+) did (?P<who>\w+) (?P<did>decide|approve|reject|close|place|complete)\b",
            lambda match: f"how many {match['what']} were {match['did'].removesuffix('e')}ed by {match['who']}",
        ),
        (r"\bis ([\w.@-]+(?: \w+)?) chairing\b", r"does \1 chair"),
        (r"^how did (?P<what>.+?) (?:end(?: up)?|turn out|go|finish)(?=\s*[?.!]*$)", r"outcome of \g<what>"),
        (r"\bthe scope of the ([\w-]+) system\b", r"the \1 system"),
        (
            r"\bcontrols (?:that |which )?(?:have )?(?:turn(?:ed)?|became|become|went|go|got)"
            r" (?P<to>effective|partial|stale|ineffective)(?= (?:this|last|in|since|on|during|today|yesterday)\b)",
            r"control changes to \g<to>",
        ),
        (
            r"\b(?:declared|marked|set|flagged|ruled|considered|classed) (?:as )?"
            r"(not applicable|inapplicable|out of scope)\b",
            r"\1",
        ),
        (
            r"\b(?:have |has )?(?:burn(?:t|ed)?|used|spent|consumed|eaten)(?: up)? (?P<sign>more|less) than "
            r"(?P<n>half|\d+ ?%)(?: of)? (?:their|it is|the) error budget\b",
            lambda match: (
                f"used {'above' if match['sign'] == 'more' else 'below'} "
                f"{'50' if match['n'] == 'half' else match['n'].rstrip(' %')} %"
            ),
        ),
        (
            r"^when (?:is|are) (\w+) (?:off|away|on holiday|on leave|out of (?:the )?office)(?=\s*[?.!]*$)",
            r"when is the absence of \1",
        ),
        (r"\bscope review\b", "review"),
        (r"\brn\b", "right now"),
        (r"^what is ([\w.@-]+(?: \w+)?) (?:working on|busy with)\b", r"pending duties of \1"),
        (r"\bwho has (?:too|far too|way too) much (?:on (?:their|his|her) plate|to do)\b", "who is overloaded"),
        (r"\b(?:needs?|wants?|requires?|waits? for|waiting for) my (?:signature|sign-?off)\b", "do i have to sign"),
        (r"^who (?:logged|signed) (?:in|on) last\b", "who made the latest successful login"),
        (r"\bwhat (?:should|do|must) (?:i|we) worry about\b(?: first| most)?", "what should i do next"),
        (
            r"^(?:is|are|was) (?:we |(?P<one>\S+) )(?:still )?(?:within|in) (?:it is |the |our )?(?:error )?budget"
            r"(?: (?:on|of|for|with) (?P<other>\S+?))?(?=\s*[?.!]*$)",
            lambda match: f"error budget left of {match['one'] or match['other'] or 'us'}",
        ),
        (r"\bat risk of (?:going|becoming|turning|getting) stale\b", "becoming stale in the next 30 days"),
        (
            r"\b(?:have|has) not (?:yet )?(?:sent|given|provided|delivered|handed over) (?:us )?(?:their|its|an?|any) "
            r"(?P<what>soc 2|iso 27001|pen ?test|dpa|baa|bridge letter|questionnaire)(?: report| certificate)?\b",
            r"without \g<what>",
        ),
        (r"\bended (?:up )?badly\b|\bwent badly\b", "went wrong"),
    )
)


def plain_speech(text: str) -> str:
    """A question in lower case without what is said around it, ways of speech in the words of the records."""
    for pattern, plain in _SPEECH:
        text = pattern.sub(plain, text)
    return text
