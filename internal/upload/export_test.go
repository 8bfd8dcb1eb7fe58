package upload

// TypeOf is typeOf.
var TypeOf = typeOf
