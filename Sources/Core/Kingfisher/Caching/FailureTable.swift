import Foundation
import KingfisherTransport

/// The sources that are known to have no image, until they expire. A value; times are passed in.
///
/// A status of the server concerns the source and is stored under its cache key. A response that is not an
/// image is stored under the computed key, because another processor may know its format.
///
/// Bounded: above the limits, the failures that expire first are forgotten first. Expired ones are removed
/// when another one is noted.
struct FailureTable: Sendable {
    struct Failure: Sendable, Equatable {
        /// The status of the server's response; nil if the response was not an image.
        let statusCode: Int?
        let noted: Date
        let expiration: Date
        /// `RemovalHistory.mark` when the request began: a removal by tag also removes the failure.
        var removals: UInt64 = 0

        /// False as well before it was noted: a clock that was set back must not prolong it.
        func isKnown(at time: Date) -> Bool { noted <= time && time < expiration }
    }

    /// The number of failures, and the number of bytes of their keys.
    static let limits = (count: 10_000, bytes: 4 << 20)
    /// A failure with a longer key is not stored, so that a few of them do not displace all others.
    static let longestKey = 32 << 10

    private var failures: [BytewiseString: Failure] = [:]
    private var expirations = IndexedHeap<BytewiseString, Date>()
    private(set) var keyBytes = 0

    var count: Int { failures.count }

    func failure(forKey key: String, computedKey: String, at time: Date) -> Failure? {
        guard !failures.isEmpty else { return nil }
        if let failure = failures[BytewiseString(key)], failure.isKnown(at: time),
            failure.statusCode != nil || key == computedKey
        {
            return failure
        }
        return key == computedKey
            ? nil : failures[BytewiseString(computedKey)].flatMap { $0.isKnown(at: time) ? $0 : nil }
    }

    /// Adds a failure. Returns false if it cannot be stored, or if an equal one is known already, which then
    /// expires as before.
    mutating func note(_ failure: Failure, forKey key: String, computedKey: String) -> Bool {
        guard failure.expiration > failure.noted else { return false }
        let key = BytewiseString(failure.statusCode == nil ? computedKey : key)
        guard key.text.utf8.count <= Self.longestKey else { return false }
        while let first = expirations.first, first.rank <= failure.noted { remove(first.element) }
        if let known = failures[key], known.isKnown(at: failure.noted),
            known.statusCode == failure.statusCode, known.removals == failure.removals
        {
            return false
        }
        if failures.updateValue(failure, forKey: key) == nil { keyBytes += key.text.utf8.count }
        expirations.set(key, to: failure.expiration)
        while failures.count > Self.limits.count || keyBytes > Self.limits.bytes,
            let first = expirations.first
        {
            remove(first.element)
        }
        return true
    }

    /// Forgets the failures of a source, and of one of its processed images.
    mutating func remove(forKey key: String, computedKey: String) {
        guard !failures.isEmpty else { return }
        remove(BytewiseString(key))
        if computedKey != key { remove(BytewiseString(computedKey)) }
    }

    mutating func removeAll(where isRemoved: (_ key: String) -> Bool = { _ in true }) {
        for key in failures.keys where isRemoved(key.text) { remove(key) }
    }

    private mutating func remove(_ key: BytewiseString) {
        guard failures.removeValue(forKey: key) != nil else { return }
        expirations.remove(key)
        keyBytes -= key.text.utf8.count
    }
}
