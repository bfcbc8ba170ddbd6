public import Foundation

/// A value that a disk cache can turn into bytes and back.
public protocol DataTransformable {
    /// The bytes to write.
    func toData() throws -> Data

    /// The value that `toData()` wrote.
    static func fromData(_ data: Data) throws -> Self

    /// A value that stands for "present, but not loaded".
    static var empty: Self { get }
}

extension Data: DataTransformable {
    public func toData() throws -> Data { self }

    public static func fromData(_ data: Data) throws -> Data { data }

    public static let empty = Data()
}
