/// Values that a cache let go, to be released where their `deinit` may use the cache again: outside its lock.
///
/// One is what most stores drive out, and takes no array.
@usableFromInline
package struct DroppedValues<Value: Sendable>: Sendable {
    @usableFromInline var first: Value?
    @usableFromInline var others: [Value] = []

    @inlinable
    init() {}

    @inlinable
    mutating func append(_ value: consuming Value) {
        if first == nil {
            first = value
        } else {
            // A big entry drives out several.
            if others.isEmpty { others.reserveCapacity(8) }
            others.append(value)
        }
    }
}
