import Foundation
import KingfisherStorage

extension Data {
    /// The bytes that a memory budget counts: none for a mapped file, unless that is in memory.
    var residentCount: Int { FileMapping.of(self)?.residentBytes ?? count }
}
