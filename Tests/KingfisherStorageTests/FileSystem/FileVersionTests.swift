import CLinux
import Foundation
import Glibc
import Testing

@testable import KingfisherStorage

@Suite struct FileVersionTests {
    private typealias Read = (UnsafePointer<CChar>, inout kf_linux_version) -> CInt

    @Test(arguments: [ENOSYS, EPERM])
    func `Without statx, the version is read by stat`(error: CInt) throws {
        let file = #filePath
        let folder = URL(filePath: file).deletingLastPathComponent().path
        let read: Read = { _, _ in error }
        let version = try #require(file.withCString { FileVersion(path: $0) })
        #expect(file.withCString { FileVersion(locallyKnown: $0) } == version)
        #expect(file.withCString { FileVersion(locallyKnown: $0, read: read) } == version)
        #expect(folder.withCString { FileVersion(locallyKnown: $0, read: read) } == nil)
    }

    @Test(arguments: [ENOENT, EACCES, EIO])
    func `After another error of statx, there is no version`(error: CInt) {
        let file = #filePath
        #expect(file.withCString { FileVersion(locallyKnown: $0) { _, _ in error } } == nil)
    }
}
