/// What reading a value does to its expiration.
public enum ExpirationExtending: Sendable {
    /// The expiration stays as it is.
    case none
    /// The lifetime that the value was stored with starts again at the moment of the access.
    case cacheTime
    /// The value gets a new lifetime, which starts at the moment of the access.
    case expirationTime(_ expiration: StorageExpiration)
}
