package event

import "svcpay/internal/ids"

// objectIDs read the ids of what events are about, but for merchants.
var objectIDs = []func(string) ([16]byte, error){
	bytesOf(ids.ParseCharge), bytesOf(ids.ParseRefund), bytesOf(ids.ParseDispute), bytesOf(ids.ParsePayout),
	bytesOf(ids.ParseToken), bytesOf(ids.ParseDonation), bytesOf(ids.ParseEndpoint), bytesOf(ids.ParseFeeChange),
}

func bytesOf[K ids.Kind](parse func(string) (ids.ID[K], error)) func(string) ([16]byte, error) {
	return func(text string) ([16]byte, error) {
		id, err := parse(text)
		return id.Bytes(), err
	}
}

// ObjectID reads the id of any object that events are about, but for merchants, or returns [ids.ErrID].
func ObjectID(text string) ([16]byte, error) {
	for _, parse := range objectIDs {
		if id, err := parse(text); err == nil {
			return id, nil
		}
	}
	return [16]byte{}, ids.ErrID
}
