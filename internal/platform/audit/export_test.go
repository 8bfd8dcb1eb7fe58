package audit

// SelectPage reads a page of the log.
const SelectPage = selectPage
