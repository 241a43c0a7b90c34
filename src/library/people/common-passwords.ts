// Passwords of eight characters and more that lists of stolen ones begin with: whoever tries a few tries these.

const words = `
123456789 12345678 1234567890 12345678910 123123123 987654321 0123456789 11223344 1122334455 123321123 147258369
1234567891 12341234 123454321 87654321 88888888 11111111 00000000 99999999 66666666 22222222 55555555 77777777
123qwe123 1q2w3e4r 1q2w3e4r5t 1q2w3e4r5t6y 1qaz2wsx 1qaz2wsx3edc 1qazxsw2 zaq12wsx qazwsxedc qwertyui qwertyuiop
qwerty12 qwerty123 qwerty1234 qwerty12345 qwe123456 qweasdzxc asdfghjk asdfghjkl asdfasdf zxcvbnm1 zxcvbnm123
abcd1234 abc12345 abc123456 abcdefgh abcdefg1 a1b2c3d4 a12345678 a123456789 aa123456 aaa111222 asd123456 as123456
password password1 password12 password123 password1234 password! password1! passw0rd p@ssword p@ssw0rd p@ssw0rd1
pass1234 pass12345 passport passwort passwort1 motdepasse contraseña wachtwoord mypassword newpassword yourpassword
iloveyou iloveyou1 iloveyou2 woaini520 woaini1314 woaini123 5201314520 1314520520 sunshine sunshine1 princess princess1
football football1 baseball baseball1 basketball superman superman1 spiderman batman123 starwars starwars1 pokemon123
michelle jennifer jessica1 charlie1 michael1 jordan23 ashley12 daniel12 samantha victoria caroline elizabeth
welcome1 welcome12 welcome123 letmein1 letmein123 trustno1 whatever whatever1 computer computer1 internet internet1
administrator admin123 admin1234 admin12345 admin123456 adminadmin administrator1 rootroot root1234 test1234 test12345
testtest testtest1 default1 changeme changeme1 changeme123 secret123 guest123 user1234 master123 dragon123 monkey123
shadow123 killer123 hello123 hello1234 freedom1 liverpool liverpool1 chelsea1 arsenal1 manchester barcelona realmadrid
corvette mercedes maverick midnight mountain december november september october1 january1 february chocolate butterfly
snoopy123 1234qwer 1234abcd 123abc123 123456abc 123456789a 12345678a 12345qwert q1w2e3r4 q1w2e3r4t5 zaq1zaq1 zaq1xsw2
footlight footlight1 footlight123 livestream livestream1 streaming streamer
`;

/** Folded as user names are. */
export const commonPasswords: ReadonlySet<string> = new Set(words.trim().split(/\s+/));
