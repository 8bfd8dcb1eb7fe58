package event

// SelectPage reads a page of a list.
const SelectPage = selectPage
