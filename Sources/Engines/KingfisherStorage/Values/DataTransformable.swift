public import Foundation

/// A value that a disk cache can convert to bytes and back.
public protocol DataTransformable {
    /// Returns the bytes to write.
    func toData() throws -> Data

    /// Returns the value that `toData()` encoded.
    static func fromData(_ data: Data) throws -> Self

    /// A placeholder value that means "present, but not loaded".
    static var empty: Self { get }
}

extension Data: DataTransformable {
    public func toData() throws -> Data { self }

    public static func fromData(_ data: Data) throws -> Data { data }

    public static let empty = Data()
}
