package instant

import "time"

// LastZone is the time zone in which every day ends last. A card is valid until its month is over here.
var LastZone = time.FixedZone("UTC-12", -12*60*60)
