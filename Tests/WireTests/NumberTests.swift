import Testing
import Wire

@Suite struct NumberTests {
  @Test("the reserved examples are known", arguments: ["0000-0000", "1234-5678", "ABCD-EFGH"])
  func reserved(text: String) throws {
    let number = try Number(parsing: text)
    #expect(number.isReserved)
    #expect(number.description == text)
  }
}
