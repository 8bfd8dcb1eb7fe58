package upload

// TypeOf is typeOf.
var TypeOf = typeOf

// Quota is what an application may upload on a day, in bytes.
var Quota = quota.Most
