/// Carries what belongs to the loop's thread there, or keeps it where only that thread looks.
package struct LoopBound<Value>: @unchecked Sendable {
    package let value: Value

    package init(value: Value) {
        self.value = value
    }
}
