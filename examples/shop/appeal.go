package shop

// Appeal is what the page says of a merchant: why to give, and what a gift does.
type Appeal struct {
	Eyebrow, Headline, Lead string
	Facts                   []Fact
	// A gift does one Unit of good for so many Cents: "Puts about 100 meals on tables".
	Cents              int
	Before, Unit, Tail string
	// Crate is true where the picture shows food.
	Crate bool
}

// Fact is a figure and what it counts.
type Fact struct{ Figure, What string }

// FoodBank is the appeal of merchants that have none of their own.
var FoodBank = Appeal{
	Eyebrow: "The full shelf appeal", Headline: "A full shelf means a full table.",
	Lead: "Each week 1,900 families along the river shop our pantries for free. Your gift becomes fresh greens, milk and bread, on a shelf within three days.",
	Facts: []Fact{{"94¢", "of every dollar buys food"}, {"3 days", "from your gift to a shelf"},
		{"41", "free pantries along the river"}},
	Cents: 50, Before: "Puts about", Unit: "meals", Tail: "on tables", Crate: true,
}

// Shelter is the appeal of an animal shelter.
var Shelter = Appeal{
	Eyebrow: "The open door appeal", Headline: "Every stray deserves a way home.",
	Lead: "Last year 2,300 dogs and cats came in from the riverbank, and nine in ten left with a family. Your gift is food, a vet and a warm place until then.",
	Facts: []Fact{{"91¢", "of every dollar goes to care"}, {"19 days", "until a family comes"},
		{"86", "foster homes along the river"}},
	Cents: 400, Before: "Feeds one animal for about", Unit: "days", Tail: "until a family comes",
}

// WinterRelief is the appeal of a relief fund in Canada.
var WinterRelief = Appeal{
	Eyebrow: "The warm night appeal", Headline: "No one sleeps outside in January.",
	Lead: "When it is colder than twenty below our vans drive until sunrise. Your gift is a bed, a hot meal and dry boots for someone tonight.",
	Facts: []Fact{{"92¢", "of every dollar reaches the street"}, {"12", "vans on the coldest nights"},
		{"640", "beds north of the river"}},
	Cents: 250, Before: "Pays for about", Unit: "hot meals", Tail: "on a cold night",
}
