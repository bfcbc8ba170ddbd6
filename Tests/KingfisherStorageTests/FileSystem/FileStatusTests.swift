import Glibc
import Testing

@testable import KingfisherStorage

struct FileStatusTests {
    @Test func sizesAreBounded() {
        var raw = stat()
        raw.st_mode = S_IFREG
        raw.st_size = .max
        #expect(FileStatus(raw).size == FileStatus.largestSize)
        raw.st_size = 5
        #expect(FileStatus(raw).size == 5)
    }
}
