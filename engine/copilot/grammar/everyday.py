"""Everyday English that says nothing of compliance: words that cost nothing where no kind of thing knows them.

A word belongs here when leaving it out leaves the question the same. Words that turn a question round, compare, count
or narrow ("not", "than", "only", "expired") do not, nor words for things that are no records here ("salary").
"""

_CLASSES = {
    "having and holding": """
        bear bearing bears bring bringing brings brought contain contained containing contains gather gathered
        having held hold holding holds include included includes keep keeping keeps kept laid lie lies lying
        maintain maintains possess possesses remain remaining remains reside resides retain sat sit sits sitting
        stand standing stands stay stayed staying stays stood""",
    "waiting and hanging about": """
        about around await awaiting dangling dwelling floating hang hanging hangs hung linger lingering loiter
        lurking parked pile piled piling sleeping stalled stuck wait waited waiting waits""",
    "doing and moving": """
        act acting actually add added adding appear appeared appears apply arise arisen arose arrive arrived became
        become becomes behave bother came come comes coming consist continue continued deal dealt deliver delivered
        doing done drag dragged dragging emerge emerged encounter encountered enter entered feel feeling felt follow
        followed gave gets getting goes gone got gotten grab handle handled handling happen happening head heading
        involve involved involving kick kicked kicking kicks land landed landing lead leading let lets letting live
        lives made make makes making manage managed managing move moved moving occur occurred pick picked picking
        pop popped popping proceed push pushed put puts putting raise raised ran run running runs seen serve serves
        set sets setting show showing shown shows spot spotted suffer suffered suffering surface surfaced take taken
        takes taking threw throw took touch touched touches touching tried try trying turn turned turning turns
        undergo undergone used uses using visit walk went work worked working works""",
    "asking and telling": """
        advise answer ask asked asking back brief briefly called check checking clarify compile confirm describe
        discuss display draw enumerate explain fetch figure find finding focus gimme give given gives giving hear
        highlight identify inform inquire interested itemise itemize knowing known knows lemme list listed look
        looked looking looks mean means meant mention mentioned name named note outline point print provide pull
        query question questions quick quickly quote read recap remind share speak specify spell spit suggest
        summarise summarize talk talking tell telling tells verify wanna want wanted wanting wants watch whether
        wonder wondering wonders word words""",
    "knowing and thinking": """
        afraid assume assuming aware believe bet concern concerned concerning concerns consider considered curious
        decided doubt expect expected expecting forget forgot forgotten guess hope hopefully hoping idea imagine
        interest learn learned matter matters mind notice noticed presumably realise realize recall reckon regard
        remember seem seemed seemingly seems sense sound sounds suppose supposed sure surely suspect think thinking
        thinks thought thoughts understand understanding view worried worries worry worrying""",
    "politeness and address": """
        afternoon alright anyway anyways apologies appreciate appreciated bro buddy bye cheers cool dear dude
        evening excuse fine folks friend friends gladly good goodness gosh grateful great greetings guys ha haha
        hiya hmm honest honestly huh kind lads lol lovely ma'am man mate morning nice oh oi ok okay omg oops pardon
        please pls possible possibly regards sir sorry sup ta thankful thanks thx ty ugh uh um welcome well whoa wow
        ya yeah yep yo yup""",
    "hedges": """
        absolutely apparently approximately arguably basically bit broadly certainly clearly completely definitely
        entirely essentially evidently fairly formally fundamentally generally genuinely indeed informally kinda
        literally mainly maybe merely mostly naturally necessarily normally obviously officially ordinarily
        particularly perhaps plainly potentially practically precisely pretty primarily probably properly purely
        quite rather rough roughly seriously significantly simple simply somehow somewhat sort sorta specifically
        strictly substantially supposedly technically truly typically ultimately usually utterly vaguely virtually
        wholly""",
    "now and by and by": """
        already anymore anytime constantly continually continuously currently eventually finally forever frequently
        hitherto immediately instantly lately meanwhile moment momentarily nowadays occasionally often once present
        presently previously promptly recently regularly right rn shortly simultaneously sometime sometimes soon
        still straight suddenly then time times whenever while yet""",
    "amounts without a number": """
        abundance amount amounts array batch bunch couple dozens exact few handful heap heaps hundreds load loads
        lot lots many much numbers pair piles plenty some stack ton tons various whole""",
    "persons and things without a name": """
        anybody anyone anything anywhere area areas aspect aspects bits case cases entries entry everybody everyone
        everything everywhere fella guy instance instances it item items kinds lad oneself ourselves part parts
        picture piece pieces place places rate rated side sides situation situations something somewhere sorts spots
        themselves estate thing things thingy type types us way ways whatever whatsoever whichever whoever
        whomever yourself""",
    "joints of a sentence": """
        'em according accordingly additionally afaik aint along alongside also although amid amidst amongst and are
        as asap aside because btw but consequently considering cos coz cuz despite dont eg em especially etc even
        furthermore fyi gonna gotta hafta hence however id ie iirc im imo including innit insofar its ive just like
        likewise moreover nevertheless nonetheless notably of onto otherwise oughta overall particular plus
        regarding regardless respective respectively so such tbh that thats therefore theres theyre though through
        throughout thru thus to toward towards unto upon via vis weve whats whereas whereby wherein whilst with
        within youre youve""",
    "strong words": """
        absolute awful awfully crap crazy damn damned dang darn horrible insane junk mess messy nasty nuts scary silly
        stupid terrible terribly ugly weird wild""",
    "good wishes for an answer": """
        accurate accurately complete comprehensive concise correct correctly detail detailed details exactly full
        fully gist glance helpful nicely overview rundown short straightforward thorough useful""",
}
EVERYDAY = frozenset(word for said in _CLASSES.values() for word in said.split())


def is_everyday(word: str) -> bool:
    """Whether a word that no kind of thing knows leaves the question the same."""
    return word in EVERYDAY
