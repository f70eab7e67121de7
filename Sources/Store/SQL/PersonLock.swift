/// How a transaction locks a person against the transactions of other nodes.
enum PersonLock {
    /// For a write of a person, or about it: many at a time, beside changes of the person's own row.
    case shared
    /// For the end of sessions or of the account. It waits for all that hold the other one, and whoever wants that one later
    /// finds the end.
    case whole
}
