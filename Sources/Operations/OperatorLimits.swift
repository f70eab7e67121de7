/// Every bound of what operators' doors take, its unit last in its name.
struct OperatorLimits: Sendable {
    /// Wrong tokens of one network address. Past it no token of the address is compared for a while, also not the right one.
    var wrongTokensPerMinuteMax = 30
}
