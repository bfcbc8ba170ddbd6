/// How a read changes the expiration of a value.
public enum ExpirationExtending: Sendable {
    /// The expiration does not change.
    case none
    /// The lifetime that the value was stored with is renewed on access.
    case cacheTime
    /// The value gets a new lifetime, which starts at the time of the access.
    case expirationTime(_ expiration: StorageExpiration)
}
