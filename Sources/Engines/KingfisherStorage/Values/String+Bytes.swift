import CLinux

extension String {
    /// Whether both strings have the same UTF-8 bytes. Memory keys and file names require this.
    ///
    /// `==` treats canonically equivalent strings as equal ("é" and "e" with an accent).
    package func hasSameBytes(as other: String) -> Bool {
        let isSame = utf8.withContiguousStorageIfAvailable { bytes in
            other.utf8.withContiguousStorageIfAvailable {
                bytes.count == $0.count && kf_linux_same_bytes(bytes.baseAddress, $0.baseAddress, bytes.count)
            }
        }
        return (isSame ?? nil) ?? utf8.elementsEqual(other.utf8)
    }
}
