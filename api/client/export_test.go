package client

// EncodeQuery is for tests of forms that no operation has yet.
var EncodeQuery = encodeQuery
