"""What papers print every day in the same words with other facts: weather, courts, markets, results.

Two issues of a series are different articles, however much they share: the hardest case for whoever looks
for duplicates. `#` stands for a number, `@` for a name, `*` for a place, `[a|b]` for a choice. All invented.
Not a bench by itself.
"""

from __future__ import annotations

import random
import re

NAMES = (
    "Edda Brandt", "Jonas Pike", "Mara Quill", "Otis Vane", "Selma Roth", "Hugo Lark", "Nadia Frost", "Pavel Stone",
    "Greta Moss", "Ivan Hale", "Lena Marsh", "Ruben Ash", "Tilda Crane", "Viggo Reed", "Yara Flint", "Zeno Brook",
)  # fmt: skip
PLACES = (
    "Dunmere", "Harrowgate", "Saltby", "Millford", "Oxley", "Northam", "Westrey", "Kellen", "Bramber", "Tolland",
    "Easting", "Farrow", "Garth", "Holme", "Inverley", "Joyford",
)  # fmt: skip

SERIES = {
    "weather": (
        "The weather for [Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday] will be [dry and bright|wet and windy|cold with showers|mild and cloudy] in the [north|south|east|west] of the county. "
        "Temperatures reach # degrees in * and # degrees on the coast at *. "
        "The wind is [light|moderate|fresh|strong] from the [north|south|east|west] with gusts of up to # kilometres an hour. "
        "[Rain|Fog|Sleet|Thunder] is expected in * by the [morning|afternoon|evening], with a risk of # per cent. "
        "The sun rises at 6.# and sets at 19.#. Pollen counts are [low|moderate|high]. "
        "The outlook for the following days: [more of the same|turning colder|clearing from the west|unsettled], with highs of # degrees. "
        "Forecasts are issued by the county weather office every morning at six and are valid for 24 hours. "
        "Drivers are asked to look at the road page before they leave."
    ),
    "stocks": (
        "Shares in * closed [higher|lower|little changed] on [Monday|Tuesday|Wednesday|Thursday|Friday], with the main index [gaining|losing] # points, or 0.# per cent, to end at #,#. "
        "[Banks|Shipping lines|Miners|Retailers] led the [gains|losses], while [banks|shipping lines|miners|retailers] [rose|fell] by # per cent. "
        "@, an analyst at * Brokers, said investors were [waiting for figures on inflation|reassured by the harvest|unsettled by the strike at the port]. "
        "Volume was # million shares, [above|below] the average of the past month. "
        "The crown [rose|fell] to 1.# against the mark, and a barrel of oil cost # crowns. "
        "Shares of * Foundries were up # per cent after the company [raised|confirmed|cut] its outlook. "
        "Past performance is no guide to future returns, and the value of investments can go down as well as up. "
        "Prices are delayed by at least fifteen minutes."
    ),
    "court list": (
        "The following cases were heard at * magistrates' court on [Monday|Tuesday|Wednesday|Thursday|Friday]. "
        "@, #, of * Road, *, admitted driving a car without insurance on March #. Fined # crowns, with # crowns in costs and # penalty points. "
        "@, #, of * Lane, *, was found guilty of theft of goods worth # crowns from a shop in *. Community order of # hours. "
        "@, #, of no fixed address, admitted being drunk and disorderly in *. Conditional discharge for # months. "
        "@, #, of * Street, *, denied a charge of assault. The trial was set for the # of next month and bail was granted on condition that the witness is not contacted. "
        "Reports are taken from the court register and are published without favour; requests to leave out a name cannot be granted."
    ),
    "football": (
        "* [beat|drew with|lost to] * [1-0|2-1|3-2|0-0|1-3] in front of # thousand spectators on [Saturday|Sunday] afternoon. "
        "@ opened the scoring after # minutes with a [header|volley|free kick|shot from the edge of the area], and @ [equalised|doubled the lead|missed a penalty] shortly before the break. "
        "In the second half @ was sent off for a second yellow card in the # minute. "
        "Manager @ said: [We deserved the points|We must be better than that|The boys gave everything]. "
        "The result leaves * in place # of the table with # points from # games. "
        "They travel to * next week, kick-off at three. "
        "Tickets are sold at the ground and in the club shop from Tuesday; children under twelve come in free with an adult."
    ),
    "road works": (
        "Drivers in * face delays this week as work continues on the * bypass between junctions # and #. "
        "The road is closed from # in the evening until # in the morning, and traffic is sent through *. "
        "Temporary lights stand in * Street until the # of the month while the water company repairs a main. "
        "Bus # does not stop at *; passengers may use the stop at * Square instead. "
        "@ of the county's highways office said the work was [on time|a week behind|nearly done] and would cost # thousand crowns. "
        "The county apologises for any inconvenience and thanks residents and drivers for their patience while these improvements are carried out. "
        "A map of all works is kept at the counter of the town hall."
    ),
    "planning": (
        "The following applications have been received by the * planning office. "
        "* Road #: extension of # metres to the rear of a dwelling, by @. "
        "* Lane #: change of use from a shop to # flats, by @. "
        "Land north of *: # houses with parking for # cars, by * Homes. "
        "* Street #: felling of # [oaks|limes|beeches] that are under a preservation order, by @. "
        "The committee meets on the # of next month at seven in the evening in the council chamber. "
        "Plans can be seen during office hours at the town hall, and comments must reach the planning office in writing within twenty-one days of this notice, stating the number of the application. "
        "Comments are public and cannot be treated as confidential."
    ),
    "jobs": (
        "The number of people out of work in the county [rose|fell] by # hundred in [January|February|March|April|May|June|July] to # thousand, the labour office said on [Tuesday|Wednesday|Thursday]. "
        "The rate stood at 4.# per cent, after 4.# per cent in the month before and 5.# per cent a year ago. "
        "Most [gains|losses] were in [building|hotels|care|transport], where # hundred posts were [added|lost]. "
        "In * the rate was highest with #.# per cent, in * lowest with #.# per cent. "
        "@, who heads the office, spoke of a [robust|mixed|weak] market. "
        "Employers reported # thousand open posts, # per cent [more|fewer] than a year ago. "
        "The figures are adjusted for the season. People in training schemes and those who are ill for longer than six weeks are not counted as out of work. "
        "The next figures are published at the end of the month."
    ),
    "tides": (
        "High water at * is at #.# in the morning and at #.# in the evening, with heights of 4.# and 3.# metres. "
        "Low water is at #.# and #.#. At * add # minutes, at * take # minutes off. "
        "The moon is [new|in its first quarter|full|in its last quarter]. "
        "Sea temperature # degrees, waves of up to # [centimetres|hands] from the [north|south|east|west]. "
        "Small craft should [beware of gusts off the point|find easy sailing|stay in harbour after noon]. "
        "The harbour office at * reports # visiting yachts and # free berths. "
        "Times are given in local time and were worked out for fair weather; wind and air pressure can change them by half an hour. "
        "Never turn your back to the sea, and tell somebody when you expect to be home."
    ),
    "deaths": (
        "@, of *, died on March # at the age of #. Born in *, [she|he] worked for # years [at the mill|on the railway|as a teacher|at the harbour office] and was known to many through [the choir|the chess club|the allotments]. "
        "[She|He] leaves # children and # grandchildren. "
        "The funeral is held at the church of * on the # of the month at # o'clock, and afterwards at the * Arms. "
        "The family asks for no flowers; gifts to the lifeboat are welcome and may be handed to the undertaker. "
        "Notices for this column are taken at the counter until noon on the day before they are to appear."
    ),
    "lottery": (
        "The numbers drawn on [Wednesday|Saturday] are #, #, #, #, # and #; the bonus number is #. "
        "# tickets had five numbers and win # thousand crowns each; # tickets had four. "
        "A ticket sold in * [won the first prize of # million crowns|came close with five numbers and the bonus]. "
        "[Nobody had all six numbers, so the first prize grows to # million crowns|The first prize goes to two winners]. "
        "The next draw is on [Wednesday|Saturday] at eight. "
        "All figures are given without guarantee. Players must be over eighteen; whoever feels that the game has taken hold of them finds free and confidential advice at the county's help line, day and night. "
        "Prizes that are not claimed within thirteen weeks go to good causes in the county."
    ),
}  # fmt: skip


def issue(name: str, chance: random.Random) -> str:
    """One issue of a series, with facts of its own."""

    def filled(match: re.Match[str]) -> str:
        sign = match[0]
        if sign == "#":
            return str(chance.randint(1, 59))
        if sign == "@":
            return chance.choice(NAMES)
        return chance.choice(PLACES) if sign == "*" else chance.choice(sign[1:-1].split("|"))

    once = re.sub(r"\[[^\]]*\]", filled, SERIES[name])
    return re.sub(r"[#@*]", filled, once)
