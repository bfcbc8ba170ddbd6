import CLinux

extension String {
    /// Whether both have the same UTF-8, as a key in memory and a file's name must.
    ///
    /// `==` takes two spellings of one letter for the same ("é" and "e" with an accent).
    package func hasSameBytes(as other: String) -> Bool {
        let isSame = utf8.withContiguousStorageIfAvailable { bytes in
            other.utf8.withContiguousStorageIfAvailable {
                bytes.count == $0.count && linux_same_bytes(bytes.baseAddress, $0.baseAddress, bytes.count)
            }
        }
        return (isSame ?? nil) ?? utf8.elementsEqual(other.utf8)
    }
}
