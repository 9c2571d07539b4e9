"""Terms of service: what a document says of eight activities, each with the sentence that says it.

`read.read_terms` is the door: text in, words with quotes out. Inside, in order: `text` takes the text off
a page, `sentences` cuts it, `phrases` and one module a language hold the words, `modality` finds out who
may and who may not, `judging` weighs, `advice` listens to a second opinion. Pure, and no lawyer.
"""
