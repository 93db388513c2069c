"""Lists of English words for probes: nouns and verbs, and words of a pleasant and of an unpleasant meaning.

A word is in a list if nearly all of its uses are of that kind, so *walk* and *kind* are in none.
"""

__all__ = ["NEGATIVE", "NOUNS", "POSITIVE", "VERBS"]

NOUNS = """
mountain river village castle forest kitchen garden window furniture ceiling carpet curtain blanket pillow candle
lantern table chair basket bottle kettle knife spoon plate bread butter cheese sugar coffee tobacco apple orange
potato meadow valley island ocean harbor vessel captain sailor soldier general officer king queen prince princess duke
bishop priest monk lawyer physician merchant farmer servant uncle aunt cousin nephew niece brother sister daughter
mother husband wife widow infant horse donkey sheep goat rabbit squirrel eagle sparrow pigeon spider butterfly
elephant lion tiger serpent flower violet daisy church chapel cathedral palace cottage prison hospital library museum
theater university city county province empire republic parliament government army regiment cavalry sword rifle pistol
cannon helmet shoulder elbow ankle stomach throat eyebrow forehead finger sentence chapter paragraph poetry novel
dictionary newspaper alphabet grammar geometry chemistry philosophy religion wisdom happiness kindness darkness
weakness illness friendship childhood century autumn winter evening afternoon midnight thursday january february
september october november december
"""

VERBS = """
become begin bring carry choose deliver depend describe destroy discover eat enjoy enter exist explain express follow
forget forgive gather give go grow happen hear imagine include increase inform insist introduce invite keep know learn
leave lend listen live lose maintain marry meet mention obey obtain occupy offend oppose perceive perform persuade
possess prefer prepare preserve prevent produce promote propose protect prove provide publish pursue receive recognize
recommend reduce refuse regard reject rejoice relate remain remember remove render repair replace represent require
resemble resist resolve retain return reveal satisfy say see seek seem select sell send separate serve settle shine
sing sit speak spend spoil steal submit succeed suffer suggest supply support suppose surround survive take teach tell
tend think throw translate tremble understand unite utter vanish wear weep withdraw write abandon accept accompany
accomplish acquire admire admit adopt advise agree allow amuse announce appear appoint apply arise arrive ascend
ascertain ask assist assume assure attain avoid bear behold believe belong bestow betray blame burn buy
"""

POSITIVE = """
good excellent beautiful lovely charming delightful pleasant agreeable happy glad cheerful joyful merry joyous
delighted pleased grateful thankful generous noble gentle gracious friendly affectionate loving tender faithful loyal
honest sincere virtuous wise clever brilliant splendid magnificent glorious superb admirable wonderful marvelous
perfect graceful elegant handsome charm delight pleasure joy happiness bliss rapture cheer mirth gladness love
affection friendship kindness goodness mercy generosity honor honesty virtue wisdom courage bravery valor triumph
victory success prosperity glory praise admiration gratitude hope blessing comfort peace harmony freedom safety health
beauty grace sweetness smile smiling laughing rejoice rejoiced admire admired adore adored enjoy enjoyed praised
blessed welcome healthy prosperous successful fortunate lucky hopeful peaceful serene
"""

NEGATIVE = """
bad evil wicked cruel horrible terrible dreadful awful frightful hideous ugly disgusting odious hateful vile miserable
wretched unhappy sad sorrowful gloomy melancholy mournful dismal angry furious bitter jealous envious malicious
treacherous deceitful false dishonest selfish greedy cowardly stupid foolish ignorant vulgar brutal savage ferocious
pain sorrow grief misery anguish agony despair torment suffering distress anger rage fury hatred hate malice envy
jealousy contempt scorn disgust horror terror fear dread shame guilt crime murder theft treason treachery cruelty
cowardice folly vice sin disgrace ruin disaster defeat failure poverty famine disease plague sickness death curse
weeping hated despise despised dreaded suffered ruined cursed murdered betrayed wounded sick diseased hopeless
unfortunate dangerous poisonous painful tedious disagreeable unpleasant
"""
